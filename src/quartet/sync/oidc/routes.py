from typing import Annotated, Any
from urllib.parse import urlsplit

from litestar import Response, get, post
from litestar.params import QueryParameter

from quartet.kernel.audit import audit_action, audit_error
from quartet.kernel.auth import http_only_cookie, read_cookie, require_own_host
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request, identity_of
from quartet.sync.accounts.access import READER
from quartet.sync.login.service import Login
from quartet.sync.oidc.service import ATTEMPT_SECONDS, ProviderLogin
from quartet.sync.oidc.types import Answer, ProviderPage, SignIn
from quartet.sync.settings import SyncSettings

COOKIE = "quartet_sync_oidc"
CALLBACK = "/api/oidc/callback"

Text = Annotated[str, QueryParameter(max_length=4096)]
# Another name, because Litestar reserves `state` for arguments.
StateText = Annotated[str, QueryParameter(name="state", max_length=4096)]


def _address(request: Request, settings: SyncSettings) -> str:
    """Return the address of this server; a name from a forged Host header is refused."""
    public, base = (settings.public_url or "").rstrip("/"), settings.base_path.rstrip("/")
    if public:
        # A path in the public address takes precedence over the base path.
        return public if urlsplit(public).path else public + base
    require_own_host(request)
    return f"{request.base_url}".rstrip("/") + base


@post("/api/oidc/login", status_code=200, **PUBLIC)
async def begin_provider_login(
    request: Request,
    data: JSONBody[SignIn],
    provider_login: Injected[ProviderLogin],
    kernel: Injected[Kernel[Any]],
) -> Response[ProviderPage]:
    """Start signing in with the provider; the browser opens the returned page next."""
    address = _address(request, kernel.settings)
    state, url = await provider_login.begin(request, address + CALLBACK, data)
    # Lax, because the browser comes back from another site.
    cookie = http_only_cookie(request, COOKIE, state, ATTEMPT_SECONDS, "lax")
    return Response(ProviderPage(url), cookies=[cookie])


@get(CALLBACK, status_code=303, **PUBLIC)
async def end_provider_login(
    request: Request,
    provider_login: Injected[ProviderLogin],
    login: Injected[Login],
    kernel: Injected[Kernel[Any]],
    attempt_state: StateText = "",
    code: Text = "",
    error: Text = "",
    iss: Text = "",
) -> Response[None]:
    """Sign in the person returning from the provider; errors are shown on the sign-in page."""
    base = urlsplit(_address(request, kernel.settings)).path
    cookies = [http_only_cookie(request, COOKIE, "", 0, "lax")]
    answer = Answer(attempt_state, code, error, iss)
    try:
        cookie = read_cookie(request, COOKIE)
        signed_in = await provider_login.finish(request, answer, cookie)
    except AppError as refused:
        audit_error(request, refused)
        page = f"/?sign-in-error={refused.code}"
    else:
        page = signed_in.page
        request.scope["state"]["identity"] = signed_in.identity
        audit_action("signed_in", request)
        if signed_in.change:
            audit_action(signed_in.change, request)
        cookies.append(login.sessions.cookie(request, signed_in.token))
    return Response(None, status_code=303, headers={"location": base + page}, cookies=cookies)


@post("/api/oidc/logout", status_code=200, **READER)
async def provider_logout(
    request: Request,
    provider_login: Injected[ProviderLogin],
    kernel: Injected[Kernel[Any]],
) -> ProviderPage:
    """Return the page that signs out a connected account at the provider as well."""
    address = _address(request, kernel.settings) + "/"
    name = identity_of(request).subject
    return ProviderPage(await provider_login.sign_out_url(name, address))


ROUTES = [begin_provider_login, end_provider_login, provider_logout]
