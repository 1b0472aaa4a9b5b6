-- A rotation that is under way, and the key of fingerprints, which outlives rotations.
ALTER TABLE "installation" ADD COLUMN "rotating_to" TEXT,
ADD COLUMN "fingerprint_key" TEXT;
