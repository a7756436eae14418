from litestar import get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected
from quartet.wind.accounts.asking import ADMIN
from quartet.wind.admin.background import Task, TaskList, Tasks


@get("/api/admin/tasks", **ADMIN)
async def admin_task_list(admin_tasks: Injected[Tasks]) -> TaskList:
    """Every background task with its last start, its last result and when it runs next."""
    return TaskList(admin_tasks.list())


@post("/api/admin/tasks/{task:str}/run", status_code=202, **ADMIN)
async def admin_task_run(task: FromPath[str], admin_tasks: Injected[Tasks]) -> Task:
    """Runs a task now."""
    return admin_tasks.run(task)


ROUTES = [admin_task_list, admin_task_run]
