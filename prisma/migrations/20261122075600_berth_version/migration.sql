-- The version of Berth that last opened the database: an older one that cannot says which it needs.
ALTER TABLE "installation" ADD COLUMN "berth_version" TEXT;
