from quartet.kernel.supervisor import Loop
from quartet.wind.accounts.letters import Letters


def letters_loop(letters: Letters) -> Loop:
    """Sends mails about accounts, one after the other."""
    return Loop("account mails", letters.run, everywhere=True)
