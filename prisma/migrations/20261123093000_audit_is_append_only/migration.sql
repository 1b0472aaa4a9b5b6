-- Entries of the audit log are written once. The role that Berth runs as gives its rights to change them away, and a
-- trigger refuses whoever has them all the same, such as a superuser.
REVOKE UPDATE, DELETE, TRUNCATE ON "public"."audit_entry" FROM CURRENT_USER;

CREATE FUNCTION "public"."refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Entries of the audit log cannot be changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_entry_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "public"."audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION "public"."refuse_audit_change"();
