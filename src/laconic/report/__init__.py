"""A study's folder becomes a frozen view, and the view a page. No method is special here."""
