"""The command `quartet cnl-forward`, for the computer the browser runs on."""

import asyncio
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import click

# The token works like a password. Command lines are visible to all users of the machine and stay in
# the shell history, so the token can also come from a variable or a file.
TOKEN_VARIABLE = "QUARTET_TOKEN"  # noqa: S105 - a name, not a secret
SERVER_VARIABLE = "QUARTET_SERVER"


@click.command(name="cnl-forward")
@click.option(
    "--server",
    envvar=SERVER_VARIABLE,
    required=True,
    help=f"Address of the download manager; also {SERVER_VARIABLE}.",
)
@click.option(
    "--token",
    envvar=TOKEN_VARIABLE,
    help=f"API token from its settings page; better in {TOKEN_VARIABLE} or a file.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File that holds the API token.",
)
@click.option("--listen", default="127.0.0.1:9666", show_default=True, help="Address and port.")
def commands(server: str, token: str | None, token_file: Path | None, listen: str) -> None:
    """Receive Click'n'Load on this machine and send it to a remote download manager."""
    if urlsplit(server).scheme not in ("http", "https") or not urlsplit(server).hostname:
        raise click.BadParameter("must begin with http:// or https://", param_hint="--server")
    if token_file:
        token = token_file.read_text()
    if not token or not token.strip():
        raise click.UsageError(f"a token is needed: set {TOKEN_VARIABLE} or give --token-file")
    host, port = _address(listen)
    with suppress(KeyboardInterrupt):
        asyncio.run(_forward(server, token.strip(), host, port))


async def _forward(server: str, token: str, host: str, port: int) -> None:
    from quartet.downloads.clicknload.forward import Forwarder, serve, session
    from quartet.kernel.addresses import is_loopback_host
    from quartet.kernel.errors import AppError

    async with session() as connections:
        forwarder = Forwarder(connections, server, token)
        state = await forwarder.test()
        if state == "refused":
            raise click.ClickException(f"{server} does not accept the token")
        if state == "unreachable":
            click.echo(f"{server} cannot be reached now; going on", err=True)
        if not is_loopback_host(host):
            click.echo(f"{host} can be reached from other machines; they are refused", err=True)
        click.echo(f"listening on {host}:{port}, sending to {server}")
        try:
            await serve(forwarder, host, port)
        except AppError as error:
            raise click.ClickException(str(error)) from error


def _address(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise click.BadParameter("an address and a port, such as 127.0.0.1:9666")
    return host, port
