"""Texts of the account mails in both languages."""

from typing import Literal, NamedTuple

from quartet.wind.languages import Language

Kind = Literal["confirm", "known", "reset", "moved"]


class EmailText(NamedTuple):
    subject: str
    body: str


# {site} is the address of the site, {link} the page to open.
TEXTS: dict[tuple[Kind, Language], EmailText] = {
    ("confirm", "en"): EmailText(
        "Confirm your address",
        "Hello,\n\nplease confirm that this address is yours:\n\n{link}\n\n"
        "The link works for one day. If you know nothing about this, ignore this mail: "
        "nothing happens then.\n\n{site}\n",
    ),
    ("confirm", "de"): EmailText(
        "Adresse bestätigen",
        "Hallo,\n\nbitte bestätigen, dass diese Adresse die richtige ist:\n\n{link}\n\n"
        "Der Link gilt einen Tag. Wer davon nichts weiß, kann diese Mail ignorieren: "
        "dann geschieht nichts.\n\n{site}\n",
    ),
    ("known", "en"): EmailText(
        "There is an account already",
        "Hello,\n\nsomebody wanted to use this address for an account, but it has one already. "
        "Sign in here:\n\n{link}\n\n"
        "A forgotten password can be replaced there. If it was somebody else, nothing has "
        "changed.\n\n{site}\n",
    ),
    ("known", "de"): EmailText(
        "Es gibt schon ein Konto",
        "Hallo,\n\nmit dieser Adresse sollte ein Konto angelegt werden, sie hat aber schon eines. "
        "Hier geht es zur Anmeldung:\n\n{link}\n\n"
        "Ein vergessenes Passwort lässt sich dort ersetzen. War es jemand anders, hat sich "
        "nichts geändert.\n\n{site}\n",
    ),
    ("reset", "en"): EmailText(
        "Choose a new password",
        "Hello,\n\na new password can be chosen here:\n\n{link}\n\n"
        "The link works for one hour and only once. If you did not ask for it, ignore this "
        "mail: the old password stays.\n\n{site}\n",
    ),
    ("reset", "de"): EmailText(
        "Neues Passwort wählen",
        "Hallo,\n\nhier lässt sich ein neues Passwort wählen:\n\n{link}\n\n"
        "Der Link gilt eine Stunde und nur einmal. Wer ihn nicht angefordert hat, kann diese "
        "Mail ignorieren: das alte Passwort bleibt.\n\n{site}\n",
    ),
    ("moved", "en"): EmailText(
        "Your account has another address now",
        "Hello,\n\nthe account with this address uses another one from now on. "
        "If that was not you, write to whoever runs the site.\n\n{site}\n",
    ),
    ("moved", "de"): EmailText(
        "Das Konto hat jetzt eine andere Adresse",
        "Hallo,\n\ndas Konto mit dieser Adresse benutzt ab jetzt eine andere. "
        "War das jemand Fremdes, hilft eine Nachricht an die Betreiber der Seite.\n\n{site}\n",
    ),
}


def email_text(kind: Kind, language: Language, site: str, link: str = "") -> EmailText:
    subject, body = TEXTS[kind, language]
    return EmailText(subject, body.format(site=site, link=link))
