"""Wind forecasts for wind sports."""
