"""The same route in plain FastAPI and pydantic on uvicorn, with login check and response model."""

import sys
from hashlib import sha256
from typing import Annotated

import uvicorn
from fastapi import Cookie, Depends, FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

TOKEN = "0" * 64
SESSIONS = {sha256(TOKEN.encode()).hexdigest(): "ada"}

app = FastAPI()


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Download(Camel):
    id: int
    url: str
    name: str
    size: int
    bytes_done: int


class Package(Camel):
    id: int
    name: str
    target_dir: str
    downloads: list[Download]


async def identify(quartet_bench: Annotated[str | None, Cookie()] = None) -> str:
    user = SESSIONS.get(sha256((quartet_bench or "").encode()).hexdigest())
    if user is None:
        raise HTTPException(401)
    return user


@app.get("/api/packages/{number}")
async def package(number: int, user: Annotated[str, Depends(identify)]) -> Package:
    downloads = [
        Download(
            id=n,
            url=f"https://example.org/{n}",
            name=f"file {n}.bin",
            size=1_000_000,
            bytes_done=n * 1000,
        )
        for n in range(10)
    ]
    return Package(id=number, name="a package", target_dir="a/folder", downloads=downloads)


if __name__ == "__main__":
    print(TOKEN, flush=True)
    uvicorn.run(
        app,
        port=int(sys.argv[2]),
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        server_header=False,
    )
