import * as m from '../paraglide/messages.js';
import type { Question } from './types.ts';

const WORDS: Record<Question['kind'], () => string> = {
  recaptcha: m.captcha_kind_recaptcha,
  hcaptcha: m.captcha_kind_hcaptcha,
  turnstile: m.captcha_kind_turnstile,
  image: m.captcha_kind_image,
  password: m.captcha_kind_password,
  archivePassword: m.captcha_kind_archive,
};

export const kindWord = ({ kind }: Question): string => WORDS[kind]();

/** Captchas that can only be solved on the hoster's page. */
export const isWidget = ({ kind }: Question): boolean =>
  kind === 'recaptcha' || kind === 'hcaptcha' || kind === 'turnstile';

/** The hoster's page with the challenge in its fragment, which only the userscript reads. */
export function challengeAddress(question: Question): string | undefined {
  const { id, secret, kind, siteKey, enterprise, pageUrl } = question;
  if (!pageUrl || !URL.canParse(pageUrl) || !/^https?:$/.test(new URL(pageUrl).protocol))
    return undefined;
  const challenge = { id, secret, kind, siteKey, ...(enterprise ? { enterprise } : {}) };
  const address = new URL(pageUrl);
  address.hash = `quartet=${base64url(JSON.stringify(challenge))}`;
  return address.href;
}

function base64url(text: string): string {
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
