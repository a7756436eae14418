from litestar import get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.background import BackgroundTasks, Task, TaskList


@get("/api/admin/tasks", **ADMIN)
async def admin_task_list(admin_tasks: Injected[BackgroundTasks]) -> TaskList:
    """Every background task with its last start, last result and next start."""
    return TaskList(admin_tasks.list())


@post("/api/admin/tasks/{task:str}/run", status_code=202, **ADMIN)
async def admin_task_run(task: FromPath[str], admin_tasks: Injected[BackgroundTasks]) -> Task:
    """Start a task now."""
    return admin_tasks.run(task)


ROUTES = [admin_task_list, admin_task_run]
