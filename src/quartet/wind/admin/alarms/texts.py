"""The test mail, in both languages."""

from quartet.wind.languages import Language

TEST_MAIL: dict[Language, tuple[str, str]] = {
    "en": (
        "Test mail",
        "Hello,\n\nthis mail shows that the wind site can send mails.\n",
    ),
    "de": (
        "Testmail",
        "Hallo,\n\ndiese Mail zeigt, dass die Windseite Mails verschicken kann.\n",
    ),
}
