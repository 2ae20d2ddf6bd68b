"""The command `mahjong`."""

import typer

from mahjong_cli.account.command import account
from mahjong_cli.admin.command import admin
from mahjong_cli.duel import duel
from mahjong_cli.legal import legal
from mahjong_cli.play.command import play
from mahjong_cli.score import score
from mahjong_cli.serve.command import serve
from mahjong_cli.simulate import simulate
from mahjong_cli.verify import verify

app = typer.Typer(
    rich_markup_mode="markdown",  # Wraps the docstrings' paragraphs; "rich" would keep their line ends.
    no_args_is_help=True,
    add_completion=False,
    help="Mahjong Planet on the command line.",
)


@app.callback()
def root() -> None:
    """Mahjong Planet on the command line."""


app.command()(score)
app.command()(simulate)
app.command()(verify)
app.command()(legal)
app.command()(duel)
app.command()(play)
app.command()(serve)
app.add_typer(account, name="account")
app.add_typer(admin, name="admin")


def main() -> None:
    """Runs the command line."""
    app()


if __name__ == "__main__":
    main()
