/** Options and credentials as the server sends and expects them, with bytes as base64url. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = Record<string, any>;

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

export function textOf(bytes: ArrayBuffer): string {
  const plain = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(plain).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function creationOptions(json: Json): PublicKeyCredentialCreationOptions {
  return {
    ...json,
    rp: json.rp,
    pubKeyCredParams: json.pubKeyCredParams,
    challenge: bytesOf(json.challenge),
    user: { ...json.user, id: bytesOf(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map(known),
  };
}

export function requestOptions(json: Json): PublicKeyCredentialRequestOptions {
  return {
    ...json,
    challenge: bytesOf(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map(known),
  };
}

function known(one: Json): PublicKeyCredentialDescriptor {
  return { ...one, id: bytesOf(one.id), type: 'public-key' };
}

/** Some browsers in use have no toJSON. */
export function credentialJson(credential: PublicKeyCredential): Json {
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: responseJson(credential.response),
  };
}

function responseJson(response: AuthenticatorResponse): Json {
  const clientDataJSON = textOf(response.clientDataJSON);
  if ('attestationObject' in response) {
    const made = response as AuthenticatorAttestationResponse;
    const transports = made.getTransports?.() ?? [];
    return { clientDataJSON, transports, attestationObject: textOf(made.attestationObject) };
  }
  const { authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    clientDataJSON,
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    ...(userHandle ? { userHandle: textOf(userHandle) } : {}),
  };
}
