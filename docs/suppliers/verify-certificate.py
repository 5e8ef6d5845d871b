#!/usr/bin/env python3
"""Checks a gangway certificate against your own files, independently of gangway.

    pip install cryptography
    python3 verify-certificate.py certificate.json keys.json accounts.ndjson transactions.ndjson.gz

It verifies the signature, computes the digest of every field from the files, and compares them with what gangway accepted and
stored. The exit status is 0 only if everything agrees. Files whose names begin with `transactions` have transactions, all others
accounts. How digests are computed: proof.md beside this file.
"""
import base64
import gzip
import hashlib
import json
import os
import re
import sys
from datetime import datetime, timezone
from decimal import ROUND_HALF_EVEN, Decimal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# Fields that are not hashed as they are; all others are texts, or decimals if they are JSON numbers.
DECIMALS = {"amount", "billing_frequency", "day_of_month", "number_of_units", "net_amount", "price_per_unit", "value_taxed", "rate"}
INSTANTS = {"created_at", "agreed_at"}
PATHS = {"statement_path", "document_path"}
FREE = {"metadata.*.value", "supply_addresses.*.supply_points.*.consent_data", "account_contracts.*.versions.*.terms.*"}
ENDS = {"effective_to", "protection_to", "valid_to"}
DEFAULTS = {"account_type": "DOMESTIC", "unknown_occupier": "false"}
BLANKS = "[\t-\r \u00a0\u00ad\u1680\u2000-\u200f\u2028\u2029\u202f\u205f-\u2064\u3000\ufeff]+"
OUTER_BLANKS = re.compile(f"^{BLANKS}|{BLANKS}$")


def plain(number):
    """A decimal without exponent and insignificant zeros."""
    text = format(Decimal(number), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def free(value):
    """JSON with sorted members, without white space, with plain numbers."""
    if isinstance(value, dict):
        return "{" + ",".join(free(name) + ":" + free(value[name]) for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(free, value)) + "]"
    if isinstance(value, Decimal):
        return plain(value)
    return json.dumps(value, ensure_ascii=False)


def instant(text):
    """A timestamp in UTC with six decimals, half a microsecond rounded to even."""
    match = re.fullmatch(r"(.{19})(?:\.(\d+))?(.+)", text)
    seconds, fraction, zone = match.groups()
    at = int(datetime.fromisoformat(seconds + zone.replace("Z", "+00:00")).timestamp()) * 10**6
    at += int((Decimal("0." + (fraction or "0")) * 10**6).to_integral_value(ROUND_HALF_EVEN))
    day = datetime.fromtimestamp(at // 10**6, timezone.utc)
    return day.strftime("%Y-%m-%dT%H:%M:%S") + f".{at % 10**6:06d}Z"


def normalized(path, value):
    """The text of a value that is hashed; None if the value counts as absent."""
    name = path.rsplit(".", 1)[-1]
    if isinstance(value, str):
        value = OUTER_BLANKS.sub("", value)
    if value is None or value == "" or (name in ENDS and value.startswith("9999-12-31")):
        return DEFAULTS.get(path)
    if isinstance(value, bool):
        return "true" if value else "false"
    if name == "units":
        return ",".join(map(plain, value)) or None
    if isinstance(value, Decimal) or name in DECIMALS:
        return plain(value)
    if name in INSTANTS:
        return instant(value)
    if name in PATHS:
        return value.lstrip("/") or None
    if path == "business.siret":
        return re.sub("[^0-9]", "", value) or None
    return value


def values(path, position, value):
    """Yields (path, position, text) of every value that has a digest, in payload order."""
    if path in FREE:
        yield path, position, free(value)
    elif isinstance(value, dict):
        members = dict(value)
        if path == "supply_addresses.*.supply_points.*":
            members.setdefault("consent_data", {})
        for name in [*members, *(name for name in DEFAULTS if path == "" and name not in members)]:
            if not name.startswith("_"):
                yield from values(f"{path}.{name}".lstrip("."), position, members.get(name))
    elif isinstance(value, list) and not path.endswith(".units"):
        for index, item in enumerate(value):
            yield from values(path + ".*", [*position, str(index)], item)
    elif (text := normalized(path, value)) is not None:
        yield path, position, text


def add(sums, head, path, record):
    """Adds the hash of each field of a record, or of a transaction."""
    lines = {}
    for field, position, text in values(path, [], record):
        lines[field] = lines.get(field, "") + ".".join(position) + "\t" + text + "\n"
    for field, text in lines.items():
        digest = hashlib.sha256((head + "\n" + text).encode()).digest()
        sums[field] = (sums.get(field, 0) + int.from_bytes(digest, "big")) % 2**256


def digests(files, supplier):
    """The digest of every field, and the number of accounts."""
    sums, accounts = {}, 0
    for file in files:
        with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8-sig") as lines:
            for line in filter(str.strip, lines):
                record = json.loads(line, parse_float=Decimal, parse_int=Decimal)
                number = OUTER_BLANKS.sub("", record["external_account_number"])
                if os.path.basename(file).startswith("transactions"):
                    for one in record["transactions"]:
                        add(sums, f"{number}\n{OUTER_BLANKS.sub('', one['transaction_id'])}", "transactions.*", one)
                else:
                    accounts += 1
                    add(sums, number, "", {"import_supplier": supplier, **record})
    return {name: f"{value:064x}" for name, value in sums.items()}, accounts


def signed_content(answer, keys):
    """The content of the certificate, if one of the keys has signed it."""
    decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    head, payload, signature = answer["jws"].split(".")
    for key in keys["keys"]:
        try:
            Ed25519PublicKey.from_public_bytes(decode(key["x"])).verify(decode(signature), f"{head}.{payload}".encode())
        except InvalidSignature:
            continue
        if json.loads(decode(head))["alg"] == "EdDSA":
            return json.loads(decode(payload))
    sys.exit("The certificate was not signed by any of these keys.")


def main(certificate_file, keys_file, *files):
    with open(certificate_file, encoding="utf-8") as one, open(keys_file, encoding="utf-8") as other:
        certificate = signed_content(json.load(one), json.load(other))
    version = certificate["canonicalization"]
    if version != 1:
        sys.exit(f"The digests have version {version} of the notation, and this program computes version 1. Use the one of its release.")
    fields = {field["name"]: field for field in certificate["fields"]}
    found, accounts = digests(files, certificate["import_supplier"])
    wrong = [] if accounts == certificate["accounts"] else [f"accounts: files {accounts}, certificate {certificate['accounts']}"]
    for name in sorted({*fields, *found}):
        accepted, stored = (fields.get(name, {}).get(side, "0" * 64) for side in ("accepted", "stored"))
        if not found.get(name, "0" * 64) == accepted == stored:
            wrong.append(f"{name}: files {found.get(name, '-')[:16]}, accepted {accepted[:16]}, stored {stored[:16]}")
    if not certificate["is_equal"]:
        wrong.append("The certificate says that stored and accepted data differ.")
    print("\n".join(wrong) or f"The signature is valid, and all {len(fields)} digests agree with the files.")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
