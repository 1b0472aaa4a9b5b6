-- AlterTable
ALTER TABLE "app" ADD COLUMN     "volume_path" TEXT;
