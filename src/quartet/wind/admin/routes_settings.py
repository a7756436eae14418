from litestar import delete, get, put
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.current_user import ADMIN, account_of
from quartet.wind.admin.settings import AdminSettings, NewValue, Setting, SettingList


@get("/api/admin/settings", **ADMIN)
async def admin_setting_list(admin_settings: Injected[AdminSettings]) -> SettingList:
    """All settings that can be changed while the service runs."""
    return SettingList(await admin_settings.list())


@get("/api/admin/settings/{key:str}", **ADMIN)
async def admin_setting(key: FromPath[str], admin_settings: Injected[AdminSettings]) -> Setting:
    """One setting."""
    return await admin_settings.get(key)


@put("/api/admin/settings/{key:str}", **ADMIN)
async def admin_setting_change(
    request: Request,
    key: FromPath[str],
    data: JSONBody[NewValue],
    admin_settings: Injected[AdminSettings],
) -> Setting:
    """Change a setting; it takes effect immediately."""
    return await admin_settings.set(key, data.value, account_of(request))


@delete("/api/admin/settings/{key:str}", status_code=200, audit="deleted", **ADMIN)
async def admin_setting_reset(
    key: FromPath[str], admin_settings: Injected[AdminSettings]
) -> Setting:
    """Reset a setting to its default."""
    return await admin_settings.reset(key)


ROUTES = [admin_setting_list, admin_setting, admin_setting_change, admin_setting_reset]
