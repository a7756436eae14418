from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts.letters import Letters


def letters_loop(letters: Letters) -> BackgroundTask:
    """Sends mails about accounts, one after the other."""
    return BackgroundTask("account mails", letters.run, everywhere=True)
