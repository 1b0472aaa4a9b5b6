-- Renames only: every row stays as it is. Audit hashes cover values, not the names of columns.
ALTER TYPE "public"."LogBookKind" RENAME TO "LogStreamKind";

ALTER TABLE "public"."log_book" RENAME TO "log_stream";
ALTER TABLE "public"."log_stream" RENAME CONSTRAINT "log_book_pkey" TO "log_stream_pkey";
ALTER INDEX "public"."log_book_app_env_id_kind_key" RENAME TO "log_stream_app_env_id_kind_key";
ALTER SEQUENCE "public"."log_book_id_seq" RENAME TO "log_stream_id_seq";

ALTER TABLE "public"."log_line" RENAME COLUMN "book_id" TO "log_stream_id";
ALTER INDEX "public"."log_line_book_id_at_number_idx" RENAME TO "log_line_log_stream_id_at_number_idx";

ALTER TABLE "public"."ledger" RENAME TO "event_sequence";
ALTER TABLE "public"."event_sequence" RENAME CONSTRAINT "ledger_pkey" TO "event_sequence_pkey";

ALTER TABLE "public"."event" RENAME COLUMN "ledger_id" TO "event_sequence_id";

ALTER TABLE "public"."audit_entry" RENAME COLUMN "ledger_id" TO "event_sequence_id";
ALTER INDEX "public"."audit_entry_ledger_id_sequence_key" RENAME TO "audit_entry_event_sequence_id_sequence_key";
