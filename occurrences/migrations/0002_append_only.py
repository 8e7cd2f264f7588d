"""Append-only tables, and storage settings of the table that is updated most.

A trigger can be switched off by the owner of the table; the guide for installers says how to run the
application under a role that is not.
"""

from django.db import migrations

APPEND_ONLY = """
CREATE FUNCTION aglet_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_ARGV[0] = 'retention' AND TG_OP = 'DELETE' AND current_setting('aglet.retention', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON occurrences_auditentry
    FOR EACH ROW EXECUTE FUNCTION aglet_append_only('never');
CREATE TRIGGER handoffrecord_append_only BEFORE UPDATE OR DELETE ON occurrences_handoffrecord
    FOR EACH ROW EXECUTE FUNCTION aglet_append_only('retention');
"""
UNDO = """
DROP TRIGGER handoffrecord_append_only ON occurrences_handoffrecord;
DROP TRIGGER audit_append_only ON occurrences_auditentry;
DROP FUNCTION aglet_append_only();
"""
# The deadline is indexed and changes often: leave room on each page and vacuum early.
STORAGE = """
ALTER TABLE occurrences_occurrence SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
"""


class Migration(migrations.Migration):
    dependencies = [("occurrences", "0001_initial")]
    operations = [
        migrations.RunSQL(APPEND_ONLY, reverse_sql=UNDO),
        migrations.RunSQL(STORAGE, reverse_sql=migrations.RunSQL.noop),
    ]
