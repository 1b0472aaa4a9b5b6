-- The types of apps are the program's to know, so that a new one needs no migration.
ALTER TABLE "app" ALTER COLUMN "type" DROP DEFAULT;
ALTER TABLE "app" ALTER COLUMN "type" TYPE TEXT USING "type"::text;
ALTER TABLE "app" ALTER COLUMN "type" SET DEFAULT 'APP';
DROP TYPE "AppType";

-- What configures an app of its type is in one column, under the name of its field.
ALTER TABLE "app" ADD COLUMN "type_config" JSONB;
UPDATE "app" SET "type_config" = jsonb_strip_nulls(jsonb_build_object('jobConfig', "job_config", 'functionConfig', "function_config"))
 WHERE "job_config" IS NOT NULL OR "function_config" IS NOT NULL;
ALTER TABLE "app" DROP COLUMN "job_config", DROP COLUMN "function_config";

ALTER TABLE "app_env" ADD COLUMN "type_config" JSONB;
UPDATE "app_env" SET "type_config" = jsonb_strip_nulls(jsonb_build_object('jobConfig', "job_config", 'functionConfig', "function_config"))
 WHERE "job_config" IS NOT NULL OR "function_config" IS NOT NULL;
ALTER TABLE "app_env" DROP COLUMN "job_config", DROP COLUMN "function_config";

-- The same in the configuration that every version was recorded with, where an absent one is null.
UPDATE "content"
   SET "configuration" = ("configuration" - 'jobConfig' - 'functionConfig') || jsonb_build_object('typeConfig',
         nullif(jsonb_strip_nulls(jsonb_build_object('jobConfig', "configuration" -> 'jobConfig',
                                                     'functionConfig', "configuration" -> 'functionConfig')), '{}'));
