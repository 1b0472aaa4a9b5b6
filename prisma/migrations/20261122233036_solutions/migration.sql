-- CreateEnum
CREATE TYPE "public"."SolutionComponentState" AS ENUM ('PENDING', 'DEPLOYING', 'READY', 'FAILED');

-- CreateEnum
CREATE TYPE "public"."SolutionInstallationStatus" AS ENUM ('INSTALLING', 'INSTALLED', 'INCOMPLETE');

-- CreateTable
CREATE TABLE "public"."solution_component" (
    "installation_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "state" "public"."SolutionComponentState" NOT NULL DEFAULT 'PENDING',
    "reason" TEXT,
    "message" TEXT,
    "app_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "operation_id" TEXT,

    CONSTRAINT "solution_component_pkey" PRIMARY KEY ("installation_id","key")
);

-- CreateTable
CREATE TABLE "public"."solution_installation" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "solution_slug" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "app_name" TEXT NOT NULL,
    "region_code" TEXT NOT NULL,
    "sealed_inputs" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" "public"."SolutionInstallationStatus" NOT NULL DEFAULT 'INSTALLING',
    "requested_by" TEXT NOT NULL,
    "post_install_note" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "solution_installation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "solution_installation_account_id_id_idx" ON "public"."solution_installation"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "solution_installation_status_idx" ON "public"."solution_installation"("status" ASC);

-- AddForeignKey
ALTER TABLE "public"."solution_component" ADD CONSTRAINT "solution_component_installation_id_fkey" FOREIGN KEY ("installation_id") REFERENCES "public"."solution_installation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."solution_installation" ADD CONSTRAINT "solution_installation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
