from quartet.media.jobs.records import ItemRecord, JobResult
from quartet.media.notify.types import WebhookFile, WebhookItem, WebhookMessage
from quartet.media.roots.path_encoding import encode_path

_MOST_ITEMS = 1000


def job_message(result: JobResult) -> WebhookMessage:
    """Return what webhooks and scripts receive about a job."""
    return WebhookMessage(
        event=result.occasion,
        job_id=result.job.id,
        kind=result.job.kind,
        state=result.job.status,
        done=result.done,
        failed=result.failed,
        waiting=result.waiting,
        error=result.job.error,
        files=[
            WebhookFile(encode_path(source), encode_path(target)) for source, target in result.files
        ],
        items=[_item(one) for one in result.items[:_MOST_ITEMS]],
    )


def _item(item: ItemRecord) -> WebhookItem:
    target = encode_path(item.target) if item.target else None
    return WebhookItem(encode_path(item.source), target, item.state, item.error)
