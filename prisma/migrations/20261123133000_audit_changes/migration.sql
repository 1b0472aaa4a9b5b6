-- What commands change is noted by the tables themselves, so that no command can forget it: a transaction that has set
-- berth.changes gets every changed row of these tables appended to it, as JSON, line by line. Others pay for one
-- comparison. src/events/audited-tables.ts says which columns the audit log may show.
CREATE FUNCTION "public"."note_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := current_setting('berth.changes');
  was jsonb;
  becomes jsonb;
BEGIN
  -- Appending copies what is there: one transaction may change any number of rows.
  IF octet_length(noted) > 524288 THEN
    PERFORM set_config('berth.changes_left_out',
      (coalesce(nullif(current_setting('berth.changes_left_out', true), ''), '0')::int + 1)::text, true);
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN becomes := to_jsonb(NEW); END IF;
  IF TG_OP = 'UPDATE' THEN
    IF was ? 'deleted_at' AND was ->> 'deleted_at' IS NULL AND becomes ->> 'deleted_at' IS NOT NULL THEN
      becomes := NULL;
    ELSE
      SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, becomes -> key) INTO was, becomes
      FROM jsonb_each(was)
      WHERE value IS DISTINCT FROM becomes -> key
        OR key IN ('id', 'code', 'name', 'cli_env_name', 'host', 'email', 'account_id', 'app_id', 'app_env_id',
          'user_id', 'installation_id');
    END IF;
  END IF;
  PERFORM set_config('berth.changes',
    noted || E'\n' || jsonb_build_object('table', TG_TABLE_NAME, 'before', was, 'after', becomes)::text, true);
  RETURN NULL;
END
$$;

-- The name sorts before those of foreign keys, whose triggers delete what hangs on a row: the row is noted first.
DO $$
DECLARE
  one text;
BEGIN
  -- Parts of something else: adding one changes it.
  FOREACH one IN ARRAY ARRAY['membership', 'variable', 'host', 'external_access', 'job_schedule', 'auto_deploy',
    'git_installation', 'budget', 'pull_request_envs'] LOOP
    EXECUTE format('CREATE TRIGGER "NoteChange" AFTER INSERT OR UPDATE OR DELETE ON "public".%I FOR EACH ROW
      WHEN (current_setting(''berth.changes'', true) <> '''') EXECUTE FUNCTION "public"."note_change"()', one);
  END LOOP;
  FOREACH one IN ARRAY ARRAY['account', 'user', 'invitation', 'credential', 'service_credentials', 'token',
    'oauth_authorization', 'region', 'plan', 'app', 'app_env', 'volume', 'backup', 'solution_installation', 'webhook',
    'git_hook'] LOOP
    EXECUTE format('CREATE TRIGGER "NoteChange" AFTER UPDATE OR DELETE ON "public".%I FOR EACH ROW
      WHEN (current_setting(''berth.changes'', true) <> '''') EXECUTE FUNCTION "public"."note_change"()', one);
  END LOOP;
  -- Records of what happened: they go with what they belong to.
  FOREACH one IN ARRAY ARRAY['content', 'operation', 'job_run', 'webhook_delivery'] LOOP
    EXECUTE format('CREATE TRIGGER "NoteChange" AFTER UPDATE ON "public".%I FOR EACH ROW
      WHEN (current_setting(''berth.changes'', true) <> '''') EXECUTE FUNCTION "public"."note_change"()', one);
  END LOOP;
END
$$;
