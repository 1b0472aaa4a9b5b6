-- CreateTable
CREATE TABLE "public"."service_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "container_id" INTEGER NOT NULL,
    "measured" JSONB NOT NULL,

    CONSTRAINT "service_sample_pkey" PRIMARY KEY ("app_env_id","at","container_id")
);
