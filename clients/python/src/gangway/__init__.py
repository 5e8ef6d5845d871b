"""Client of gangway. Needs the standard library only.

    from gangway import Client
    client = Client("https://gangway.example", key)
    job = client.import_records({"import_supplier": "ACME", "kind": "accounts", "goal": "STAGE"}, open("accounts.ndjson", "rb"))
"""

from ._client import AddressError, Client, Refused, TokenRefused, Unreachable

__all__ = ["AddressError", "Client", "Refused", "TokenRefused", "Unreachable"]
