from litestar import get, post

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.current_user import ADMIN, account_of
from quartet.wind.admin.alerts import AdminAlarms, AlertAdmin, TestMail, TestMailSent


@get("/api/admin/alarms", **ADMIN)
async def admin_alarms(alert_admin: Injected[AlertAdmin]) -> AdminAlarms:
    """Counts of alerts and messages, the latest evaluations, and messages with errors."""
    return await alert_admin.report()


@post("/api/admin/alarms/test-mail", status_code=200, **ADMIN)
async def admin_test_mail(
    request: Request, data: JSONBody[TestMail], alert_admin: Injected[AlertAdmin]
) -> TestMailSent:
    """Send a test mail; limited to a few in ten minutes."""
    return TestMailSent(await alert_admin.send_test_mail(account_of(request), data.to))


ROUTES = [admin_alarms, admin_test_mail]
