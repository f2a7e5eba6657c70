"""Interactive views of simulated plans as HTML that needs no network: `opyard simulate --html`."""
