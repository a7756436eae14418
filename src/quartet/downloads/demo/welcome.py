from quartet.downloads.login import store
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.auth import Passwords
from quartet.kernel.demo import demo_password
from quartet.kernel.service import Kernel

USER = "demo"


def demo_welcome(kernel: Kernel[DownloadsSettings]) -> str:
    def set_password(password: str) -> None:
        hashed = Passwords().hash_now(password)
        kernel.db.write_sync(lambda tx: store.add_user(tx.conn, USER, hashed))

    password = demo_password(kernel.settings.data, set_password)
    return f"log in as {USER} with the password {password}"
