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
        "The link is valid for one day. If you did not request this, ignore this mail.\n\n{site}\n",
    ),
    ("confirm", "de"): EmailText(
        "Adresse bestätigen",
        "Hallo,\n\nbitte bestätigen, dass diese Adresse die richtige ist:\n\n{link}\n\n"
        "Der Link gilt einen Tag. Wer davon nichts weiß, kann diese Mail ignorieren: "
        "dann geschieht nichts.\n\n{site}\n",
    ),
    ("known", "en"): EmailText(
        "There is an account already",
        "Hello,\n\nsomeone tried to sign up with this address, but it already has an account. "
        "Sign in here:\n\n{link}\n\n"
        "You can reset a forgotten password there. If it was not you, nothing has changed."
        "\n\n{site}\n",
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
        "Hello,\n\nchoose a new password here:\n\n{link}\n\n"
        "The link is valid for one hour and works once. If you did not request it, ignore this "
        "mail; your password does not change.\n\n{site}\n",
    ),
    ("reset", "de"): EmailText(
        "Neues Passwort wählen",
        "Hallo,\n\nhier lässt sich ein neues Passwort wählen:\n\n{link}\n\n"
        "Der Link gilt eine Stunde und nur einmal. Wer ihn nicht angefordert hat, kann diese "
        "Mail ignorieren: das alte Passwort bleibt.\n\n{site}\n",
    ),
    ("moved", "en"): EmailText(
        "Your account has another address now",
        "Hello,\n\nthe account with this address now uses another address. "
        "If that was not you, contact the operator of the site.\n\n{site}\n",
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
