-- AlterTable
ALTER TABLE "engine_host" ADD COLUMN     "cpus" INTEGER,
ADD COLUMN     "disk_free_mb" INTEGER,
ADD COLUMN     "disk_mb" INTEGER,
ADD COLUMN     "load_average" DOUBLE PRECISION,
ADD COLUMN     "measured_at" TIMESTAMPTZ(3),
ADD COLUMN     "memory_mb" INTEGER,
ADD COLUMN     "memory_used_mb" INTEGER;
