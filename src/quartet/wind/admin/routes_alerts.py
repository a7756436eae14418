from litestar import get, post

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.asking import ADMIN, account_of
from quartet.wind.admin.alerts import AdminAlarms, AlarmCare, TestMail, TestMailSent


@get("/api/admin/alarms", **ADMIN)
async def admin_alarms(alarm_care: Injected[AlarmCare]) -> AdminAlarms:
    """Numbers of alarms and messages, the last evaluations, and messages in trouble."""
    return await alarm_care.report()


@post("/api/admin/alarms/test-mail", status_code=200, **ADMIN)
async def admin_test_mail(
    request: Request, data: JSONBody[TestMail], alarm_care: Injected[AlarmCare]
) -> TestMailSent:
    """Sends a mail to show that mails arrive; a few in ten minutes."""
    return TestMailSent(await alarm_care.test_mail(account_of(request), data.to))


ROUTES = [admin_alarms, admin_test_mail]
