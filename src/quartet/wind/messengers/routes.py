from litestar import delete, get, post

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.current_user import OWN, Id, account_of
from quartet.wind.messengers.service import Messengers
from quartet.wind.messengers.types import Messenger, MessengerList, NewMessenger


@get("/api/messengers", **OWN)
async def list_messengers(request: Request, messengers: Injected[Messengers]) -> MessengerList:
    """Your addresses at services such as ntfy and Telegram, masked."""
    return await messengers.all(account_of(request))


@post("/api/messengers", audit="messenger_added", **OWN)
async def add_messenger(
    request: Request, data: JSONBody[NewMessenger], messengers: Injected[Messengers]
) -> Messenger:
    """Add an address at a service such as ntfy or Telegram, as an Apprise URL."""
    return await messengers.add(account_of(request), data.url)


@delete("/api/messengers/{messenger:int}", audit="deleted", **OWN)
async def remove_messenger(
    request: Request, messenger: Id, messengers: Injected[Messengers]
) -> None:
    """Remove an address."""
    await messengers.remove(account_of(request), messenger)


ROUTES = [list_messengers, add_messenger, remove_messenger]
