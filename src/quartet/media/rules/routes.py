from litestar import Response, delete, get, post, put
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody
from quartet.media.rules.service import RuleSets
from quartet.media.rules.types import (
    NewRuleSet,
    RuleSet,
    RulesFile,
    RulesPreview,
    RulesPreviewRequest,
)


@get("/api/rule-sets")
async def list_rule_sets(rule_sets: Injected[RuleSets]) -> list[RuleSet]:
    return await rule_sets.all()


@post("/api/rule-sets")
async def add_rule_set(data: JSONBody[NewRuleSet], rule_sets: Injected[RuleSets]) -> RuleSet:
    return await rule_sets.add(data)


@put("/api/rule-sets/{set_id:int}")
async def change_rule_set(
    set_id: FromPath[int], data: JSONBody[NewRuleSet], rule_sets: Injected[RuleSets]
) -> RuleSet:
    return await rule_sets.change(set_id, data)


@delete("/api/rule-sets/{set_id:int}", audit="deleted")
async def remove_rule_set(set_id: FromPath[int], rule_sets: Injected[RuleSets]) -> None:
    await rule_sets.remove(set_id)


# In OpenAPI, the schema of a YAML response describes the document, not the text.
_YAML = {200: ResponseSpec(NewRuleSet, media_type="application/yaml", description="A YAML file")}


@get(
    "/api/rule-sets/{set_id:int}/yaml",
    media_type="application/yaml",
    responses=_YAML,
    audit="exported",
)
async def export_rule_set(set_id: FromPath[int], rule_sets: Injected[RuleSets]) -> Response[str]:
    """Exports the rule set as a YAML file."""
    text = await rule_sets.exported(set_id)
    headers = {"content-disposition": f'attachment; filename="rules-{set_id}.yaml"'}
    return Response(text, media_type="application/yaml", headers=headers)


@post("/api/rule-sets/import")
async def import_rule_set(data: JSONBody[RulesFile], rule_sets: Injected[RuleSets]) -> RuleSet:
    """Imports an exported rule set."""
    return await rule_sets.imported(data.yaml)


@post("/api/rules/preview", status_code=200)
async def preview_rules(
    data: JSONBody[RulesPreviewRequest], rule_sets: Injected[RuleSets]
) -> RulesPreview:
    """Shows every name after each rule; nothing is renamed."""
    return await rule_sets.preview(data)


ROUTES = [
    list_rule_sets,
    add_rule_set,
    change_rule_set,
    remove_rule_set,
    export_rule_set,
    import_rule_set,
    preview_rules,
]
