-- CreateTable
CREATE TABLE "public"."pulled_image" (
    "account_id" TEXT NOT NULL,
    "image_id" TEXT NOT NULL,
    "pulled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pulled_image_pkey" PRIMARY KEY ("account_id","image_id")
);

-- CreateIndex
CREATE INDEX "pulled_image_image_id_idx" ON "public"."pulled_image"("image_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."pulled_image" ADD CONSTRAINT "pulled_image_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
