-- DropIndex
DROP INDEX "public"."audit_entry_target_id_idx";

-- CreateIndex
CREATE INDEX "audit_entry_event_sequence_id_target_id_sequence_idx" ON "public"."audit_entry"("event_sequence_id" ASC, "target_id" ASC, "sequence" ASC);

-- CreateIndex
CREATE INDEX "audit_entry_event_sequence_id_actor_id_sequence_idx" ON "public"."audit_entry"("event_sequence_id" ASC, "actor_id" ASC, "sequence" ASC);

-- CreateIndex
CREATE INDEX "audit_entry_event_sequence_id_action_sequence_idx" ON "public"."audit_entry"("event_sequence_id" ASC, "action" ASC, "sequence" ASC);
