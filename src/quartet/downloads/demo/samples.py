"""The hoster of the demo. Its files are on this machine; nothing is fetched from the internet.

Copied into the plugin folder, where it also serves as an example of a small plugin.
"""

from quartet.downloads.hosters.sdk import (
    Checked,
    Context,
    File,
    Hoster,
    Link,
    Offline,
    Temporary,
    Text,
)

WRONG = Text(de="Das war nicht, was auf dem Bild steht.", en="That is not what the picture says.")


class Samples(Hoster):
    id = "samples"
    name = "Samples"
    version = "1.0"
    domains = ["samples.example"]
    matches = [r"https://samples\.example/(?P<room>get|ask)/(?P<name>[\w.-]+)"]
    settings = {"base": "http://samples.invalid"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        page = await ctx.http.get(f"{self.settings['base']}/info/{link.parts['name']}")
        if page.status == 404:
            raise Offline
        return Checked(online=True, name=link.parts["name"], size=page.json().get("size"))

    async def resolve(self, link: Link, ctx: Context) -> File:
        base, name = self.settings["base"], link.parts["name"]
        if link.parts["room"] == "ask":
            picture = await ctx.http.get(f"{base}/captcha.png", read=True)
            answer = await ctx.captcha("image", image=picture.body)
            if answer.casefold() != picture.headers.get("x-answer"):
                raise Temporary(WRONG, seconds=5)
        return File(url=f"{base}/files/{name}", name=name)
