-- CreateTable
CREATE TABLE "public"."code_generator" (
    "user_id" TEXT NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "code_generator_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "public"."recovery_code" (
    "hash" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "recovery_code_user_id_idx" ON "public"."recovery_code"("user_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."code_generator" ADD CONSTRAINT "code_generator_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."recovery_code" ADD CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
