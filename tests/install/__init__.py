"""The distributions as a user gets them: `make test-install`."""
