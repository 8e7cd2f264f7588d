from django.db import migrations, models

# What was blind until a moment becomes a hole that ends there; where it began is in the stretches.
KEEP = """
UPDATE occurrences_coverage
   SET holes = jsonb_build_array(jsonb_build_array(
           '2000-01-01T00:00:00+00:00', to_char(blind_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US+00:00')))
 WHERE blind_until IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("occurrences", "0006_what_is_unproven")]

    operations = [
        migrations.AddField(model_name="coverage", name="holes", field=models.JSONField(default=list)),
        migrations.RunSQL(KEEP, migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="coverage", name="coverage_blind_until_in_range"),
        migrations.RemoveField(model_name="coverage", name="blind_until"),
    ]
