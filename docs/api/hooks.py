"""What Schemathesis is told beside the page: the rules that a schema cannot state.

A value that breaks one of them is made to keep it, so that whatever valid data is refused besides
is a fault of the page or of the server.
"""

import datetime

import schemathesis


def is_day(value):
    """Whether the value is a real day, written YYYY-MM-DD."""
    try:
        return isinstance(value, str) and len(value) == 10 and bool(datetime.date.fromisoformat(value))
    except ValueError:
        return False


def begins_with_day(value):
    """Whether the value is a day, or a time of RFC 3339."""
    return isinstance(value, str) and (is_day(value) or value[10:11] == "T" and is_day(value[:10]))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Who registers is 13 or older, and no birth is in the future. 1988 was a leap year.

    Not `map_body`: the coverage phase sends some values that do not pass through it.
    """
    body = case.body
    if isinstance(body, dict) and begins_with_day(body.get("date_of_birth")):
        body["date_of_birth"] = min(body["date_of_birth"], "1988" + body["date_of_birth"][4:])


@schemathesis.hook
def map_query(context, query):
    """`from` is not after `to`."""
    if query and is_day(query.get("from")) and is_day(query.get("to")):
        query["from"], query["to"] = sorted([query["from"], query["to"]])
    return query
