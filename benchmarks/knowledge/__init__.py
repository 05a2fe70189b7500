"""What answers about checked rows add to any score: ranking, cut, class prior and its interval."""
