from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts.account_emails import AccountEmails


def account_emails_loop(emails: AccountEmails) -> BackgroundTask:
    """Return the loop that sends the account mails one after the other."""
    return BackgroundTask("account mails", emails.run, everywhere=True)
