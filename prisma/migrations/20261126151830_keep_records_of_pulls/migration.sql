-- DropForeignKey
ALTER TABLE "pulled_image" DROP CONSTRAINT "pulled_image_account_id_fkey";
