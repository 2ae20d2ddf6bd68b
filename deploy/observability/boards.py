"""The dashboards: what each panel draws, in PromQL. `RANGE` stands for the range that a graph's scale asks for."""

from dataclasses import dataclass

RANGE = "RANGE"

SECONDS = "s"
PER_SECOND = "ops"
COUNT = "short"
SHARE = "percentunit"
BYTES = "bytes"
POINTS = "none"


@dataclass(frozen=True, slots=True)
class Panel:
    """One graph."""

    title: str
    unit: str
    lines: tuple[tuple[str, str], ...]
    """What each set of lines is drawn from, and how a line is named by its labels."""
    note: str = ""
    """What a reader ought to know."""


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def quantiles(metric: str, by: str = "", where: str = "") -> tuple[tuple[str, str], ...]:
    """Returns the lines of p50 and p99 of a histogram, in seconds.

    Args:
        metric: its name without `_bucket`.
        by: a label that lines are apart by.
        where: a selector.
    """
    labels, legend = ("le, " + by, f" {{{{{by}}}}}") if by else ("le", "")
    return tuple(
        (
            f"histogram_quantile({q}, sum by ({labels}) (rate({metric}_bucket{where}[{RANGE}])))",
            f"p{q * 100:.0f}{legend}",
        )
        for q in (0.5, 0.99)
    )


def rate(metric: str, by: str, where: str = "") -> tuple[tuple[str, str], ...]:
    """Returns the lines of a counter's rate a second, apart by labels."""
    legend = " ".join(f"{{{{{label.strip()}}}}}" for label in by.split(","))
    return ((f"sum by ({by}) (rate({metric}{where}[{RANGE}]))", legend),)


def gauge(metric: str, by: str) -> tuple[tuple[str, str], ...]:
    """Returns the lines of a gauge's sum, apart by labels."""
    legend = " ".join(f"{{{{{label.strip()}}}}}" for label in by.split(","))
    return ((f"sum by ({by}) ({metric})", legend),)


def _at_store(store: str) -> tuple[tuple[str, str], ...]:
    buckets = f'{{__name__=~"mahjong_.+_store_duration_seconds_bucket", store="{store}"}}'
    query = f"histogram_quantile(0.99, sum by (le, job, kind) (rate({buckets}[{RANGE}])))"
    return ((query, "p99 {{job}} {{kind}}"),)


_EVERY_SERVICE = '{__name__=~"mahjong_.+_%s"}'

OVERVIEW = Board(
    "overview",
    "Mahjong Planet: overview",
    (
        Panel("Processes that answer", COUNT, (('sum by (job) (up{job=~".*mahjong.*"})', "{{job}}"),)),
        Panel("Live tables", COUNT, gauge("mahjong_table_tables", "phase")),
        Panel("Decisions", PER_SECOND, rate("mahjong_table_entries_total", "kind")),
        Panel("Decision to acknowledgement", SECONDS, quantiles("mahjong_table_decision_duration_seconds")),
        Panel("Calls of players", PER_SECOND, rate("mahjong_gateway_rpc_handled_total", "rpc")),
        Panel(
            "Calls by outcome",
            PER_SECOND,
            rate("mahjong_gateway_rpc_handled_total", "code, reason"),
            "Refusals are calls that a player may not make; faults of ours are UNAVAILABLE and INTERNAL.",
        ),
        Panel("Duration of calls", SECONDS, quantiles("mahjong_gateway_rpc_duration_seconds")),
        Panel("Open calls and streams", COUNT, gauge("mahjong_gateway_rpc_in_flight", "rpc")),
        Panel(
            "Delay of event loops",
            SECONDS,
            ((f"max by (job) ({_EVERY_SERVICE % 'loop_lag_seconds'})", "{{job}}"),),
            "Longest in 15 s. Above 100 ms a process has too much to do, or too little processor.",
        ),
        Panel("Processors used", COUNT, ((f"sum by (job) (rate(process_cpu_seconds_total[{RANGE}]))", "{{job}}"),)),
        Panel("Memory", BYTES, (("sum by (job) (process_resident_memory_bytes)", "{{job}}"),)),
        Panel("Reports waiting", COUNT, gauge("mahjong_table_reports_waiting", "instance")),
    ),
)

TABLES = Board(
    "tables",
    "Mahjong Planet: tables",
    (
        Panel("Tables by worker", COUNT, gauge("mahjong_table_tables", "instance")),
        Panel("Shards by worker", COUNT, gauge("mahjong_table_shards", "instance"), "1,024 in all, always."),
        Panel("Decision to acknowledgement", SECONDS, quantiles("mahjong_table_decision_duration_seconds", "instance")),
        Panel("Commit", SECONDS, quantiles("mahjong_table_commit_duration_seconds")),
        Panel("Tables in a commit", COUNT, quantiles("mahjong_table_commit_tables")),
        Panel("Commits", PER_SECOND, rate("mahjong_table_commits_total", "outcome")),
        Panel("Timeouts", PER_SECOND, rate("mahjong_table_timeouts_total", "instance")),
        Panel(
            "Most overdue deadline",
            SECONDS,
            (("max by (instance) (mahjong_table_deadline_overdue_seconds)", "{{instance}}"),),
        ),
        Panel("Thinking of computers", SECONDS, quantiles("mahjong_table_computer_duration_seconds")),
        Panel("Open streams", COUNT, gauge("mahjong_table_streams", "instance")),
        Panel("Streams opened", PER_SECOND, rate("mahjong_table_streams_opened_total", "start")),
        Panel(
            "Resyncs",
            PER_SECOND,
            rate("mahjong_table_resyncs_total", "instance") + rate("mahjong_gateway_views_behind_total", "instance"),
            "Viewers who fell behind: at workers, at gateways.",
        ),
        Panel("Delay of the event loop", SECONDS, gauge("mahjong_table_loop_lag_seconds", "instance")),
        Panel(
            "Time credited after outages",
            SECONDS,
            ((f"sum by (instance) (rate(mahjong_table_outage_credited_seconds_total[{RANGE}]))", "{{instance}}"),),
            "Seconds a second, over all tables.",
        ),
        Panel("Workers that fenced themselves", COUNT, gauge("mahjong_table_fenced_total", "instance")),
        Panel("Tables halted by a fault", COUNT, gauge("mahjong_table_tables_halted", "instance")),
    ),
)

MATCHMAKING = Board(
    "matchmaking",
    "Mahjong Planet: matchmaking",
    (
        Panel("Tickets waiting", COUNT, gauge("mahjong_matchmaker_tickets_waiting", "pool")),
        Panel("Tickets given", PER_SECOND, rate("mahjong_matchmaker_tickets_joined_total", "pool")),
        Panel("Tickets ended", PER_SECOND, rate("mahjong_matchmaker_tickets_ended_total", "outcome")),
        Panel("Wait for a table", SECONDS, quantiles("mahjong_matchmaker_ticket_wait_seconds", "pool")),
        Panel(
            "Spread of ratings at a table",
            POINTS,
            quantiles("mahjong_matchmaker_table_spread_points", "pool"),
            "Between the highest and the lowest, of people.",
        ),
        Panel("Matches made, by people at them", PER_SECOND, rate("mahjong_matchmaker_matches_made_total", "people")),
        Panel("Matches forming", COUNT, gauge("mahjong_matchmaker_matches_forming", "pool")),
        Panel("Leaders by pool", COUNT, gauge("mahjong_matchmaker_pools_led", "pool"), "One, if anybody waits."),
        Panel("Practice tables", PER_SECOND, rate("mahjong_matchmaker_practices_started_total", "job")),
        Panel("Private tables", PER_SECOND, rate("mahjong_matchmaker_rooms_opened_total", "job")),
    ),
)

STORES = Board(
    "stores",
    "Mahjong Planet: stores",
    (
        Panel("Commit of decisions", SECONDS, quantiles("mahjong_table_commit_duration_seconds", "instance")),
        Panel("Commits", PER_SECOND, rate("mahjong_table_commits_total", "outcome")),
        Panel("Updates of Redis", PER_SECOND, rate("mahjong_table_projections_total", "outcome")),
        Panel("Tables whose projection is behind", COUNT, gauge("mahjong_table_projections_waiting", "instance")),
        Panel("Reports delivered", PER_SECOND, rate("mahjong_table_reports_total", "kind, outcome")),
        Panel(
            "Oldest report that waits",
            SECONDS,
            (("max by (instance) (mahjong_table_report_lag_seconds)", "{{instance}}"),),
        ),
        Panel("Transactions", SECONDS, _at_store("database")),
        Panel("Commands to Redis", SECONDS, _at_store("redis")),
        Panel(
            "Failures at stores",
            PER_SECOND,
            (
                (
                    f"sum by (job, store, kind) (rate({_EVERY_SERVICE % 'store_failures_total'}[{RANGE}]))",
                    "{{job}} {{store}} {{kind}}",
                ),
            ),
            "Also those that a service expects, such as a key that is taken.",
        ),
        Panel("Calls of replay", SECONDS, quantiles("mahjong_replay_rpc_duration_seconds", "rpc")),
        Panel("Calls of rating", SECONDS, quantiles("mahjong_rating_rpc_duration_seconds", "rpc")),
        Panel("Calls of account", SECONDS, quantiles("mahjong_account_rpc_duration_seconds", "rpc")),
        Panel("Calls of the matchmaker", SECONDS, quantiles("mahjong_matchmaker_rpc_duration_seconds", "rpc")),
        Panel("Hands stored", PER_SECOND, rate("mahjong_replay_hands_stored_total", "job")),
        Panel("Results rated", PER_SECOND, rate("mahjong_rating_reports_total", "outcome")),
    ),
)

OBJECTIVES = Board(
    "objectives",
    "Mahjong Planet: objectives",
    (
        Panel(
            "Decisions over 150 ms",
            SHARE,
            (("mahjong:decisions_slow:ratio_rate5m", "5 min"), ("mahjong:decisions_slow:ratio_rate1h", "1 h")),
            "At most 1 %.",
        ),
        Panel(
            "Calls that failed by a fault of ours",
            SHARE,
            (("mahjong:calls_failed:ratio_rate5m", "5 min"), ("mahjong:calls_failed:ratio_rate1h", "1 h")),
            "At most 0.1 %.",
        ),
        Panel(
            "Results over 5 s from a rating",
            SHARE,
            (("mahjong:ratings_late:ratio_rate5m", "5 min"), ("mahjong:ratings_late:ratio_rate1h", "1 h")),
            "At most 1 %.",
        ),
        Panel(
            "Budget of slow decisions left, 3 days",
            SHARE,
            (("1 - mahjong:decisions_slow:ratio_rate3d / 0.01", "slow decisions"),),
        ),
        Panel(
            "Budget of failed calls left, 3 days",
            SHARE,
            (("1 - mahjong:calls_failed:ratio_rate3d / 0.001", "failed calls"),),
        ),
        Panel(
            "Most overdue deadline",
            SECONDS,
            (("max(mahjong_table_deadline_overdue_seconds)", "overdue"),),
            "Over 2 s: never.",
        ),
        Panel("Tables stopped while shards move", SECONDS, quantiles("mahjong_table_hand_over_seconds"), "Under 1 s."),
        Panel("Tables taken over", SECONDS, quantiles("mahjong_table_take_over_seconds")),
    ),
)

BOARDS = (OVERVIEW, TABLES, MATCHMAKING, STORES, OBJECTIVES)
