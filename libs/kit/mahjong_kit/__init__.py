"""Platform kit: settings, server, client, errors, logs, metrics, stores, auth."""
