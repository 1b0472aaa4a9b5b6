-- CreateTable
CREATE UNLOGGED TABLE "public"."rate_count" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_count_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "rate_count_ends_at_idx" ON "public"."rate_count"("ends_at" ASC);
