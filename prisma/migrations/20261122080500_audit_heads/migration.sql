-- Entries that are there were hashed without their time, and stay so; the head of each chain is sealed at the next start.
ALTER TABLE "audit_entry" ADD COLUMN "hash_version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "event_sequence" ADD COLUMN "audit_head_mac" TEXT;
