"""Reports: one result as plain data, or as one page that needs nothing beside itself."""

from ropewalk.report.content import report_data
from ropewalk.report.page import report_page

__all__ = ["report_data", "report_page"]
