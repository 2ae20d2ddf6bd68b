"""What watches the platform: `boards` says what is drawn, `grafana` and `consoles` write it down for two programs."""
