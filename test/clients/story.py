"""The story of docs/suppliers/getting-started.md with the client library. Arguments: file of accounts, file of notes."""

import json
import os
import sys

sys.path.insert(0, os.environ["CLIENT_FOLDER"])
from gangway import Client, Refused  # noqa: E402

accounts, notes = sys.argv[1:]
client = Client(os.environ["GANGWAY_URL"], os.environ["GANGWAY_API_KEY"])
SUPPLIER = "SUPPLIER_FR"


def run(kind, goal, file, **more):
    with open(file, "rb") as records:
        return client.import_records({"import_supplier": SUPPLIER, "kind": kind, "goal": goal, **more}, records)


first = json.loads(open(accounts).readline())
validated = client.call("POST", "/v1/data-import/validate-account/", first)
try:
    client.call("POST", "/v1/data-import/validate-account/", {**first, "account_type": "CASTLE"})
    refused = None
except Refused as error:
    refused = [error.status, error.code, error.errors[0]["code"]]
checked = run("accounts", "VALIDATE", accounts)
rehearsed = run("accounts", "REHEARSE", accounts, operations_team_name="Migration")
canary = run("accounts", "CREATE", accounts, operations_team_name="Migration", options={"canary": 1})
client.call("POST", f"/v1/data-import/import-jobs/{canary['job_id']}/resume/")
created = client.wait_for_job(canary["job_id"])
numbers = [line["number"] for line in client.results(created["job_id"], "succeeded")]
failed = [line["errors"][0]["code"] for line in client.results(created["job_id"], "failed")]
attached = run("notes", "IMPORT", notes)
page = client.call("GET", "/v1/data-import/events/", query={"limit": 500})
print(json.dumps({
    "validated": validated["external_account_number"],
    "refused": refused,
    "checked": checked["counts"],
    "rehearsed": rehearsed["counts"],
    "canary": [canary["status"], canary["paused_because"]],
    "created": created["counts"],
    "numbers": len(set(numbers)),
    "failed": failed,
    "attached": attached["counts"],
    "events": sum(event["type"] == "import.account.created.v1" for event in page),
}))
