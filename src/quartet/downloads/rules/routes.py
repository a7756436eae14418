from litestar import get, post, put

from quartet.downloads.rules.service import RulesService
from quartet.downloads.rules.types import Matches, Rule, Rules
from quartet.kernel.web import Injected, JSONBody


@get("/api/rules")
async def list_rules(rules: Injected[RulesService]) -> Rules:
    """List the rules in the order in which they apply."""
    return Rules(await rules.all())


@put("/api/rules", status_code=204)
async def replace_rules(data: JSONBody[Rules], rules: Injected[RulesService]) -> None:
    """Replace all rules. 400 `pattern_invalid`, `pattern_too_large` or `pattern_too_slow`."""
    await rules.replace(data.rules)


@post("/api/rules/try", status_code=200)
async def try_rule(data: JSONBody[Rule], rules: Injected[RulesService]) -> Matches:
    """Return which links of the link grabber a rule matches, without changing anything."""
    return Matches(await rules.matches(data))


ROUTES = [list_rules, replace_rules, try_rule]
