"""Decisions and what was read back of replays are never edited, and never deleted."""

from django.db import migrations

APPEND_ONLY = """
CREATE TRIGGER decision_append_only BEFORE UPDATE OR DELETE ON occurrences_decision
    FOR EACH ROW EXECUTE FUNCTION aglet_append_only('never');
CREATE TRIGGER readback_append_only BEFORE UPDATE OR DELETE ON occurrences_readback
    FOR EACH ROW EXECUTE FUNCTION aglet_append_only('never');
"""
UNDO = """
DROP TRIGGER readback_append_only ON occurrences_readback;
DROP TRIGGER decision_append_only ON occurrences_decision;
"""


class Migration(migrations.Migration):
    dependencies = [("occurrences", "0003_decisions_and_replays")]
    operations = [migrations.RunSQL(APPEND_ONLY, reverse_sql=UNDO)]
