-- The field's word. Indexes follow.
ALTER TABLE "public"."webhook_delivery" RENAME COLUMN "lane" TO "queue";
