"""All settings. Each is read through django-environ and has a default that is safe."""

import secrets
from pathlib import Path
from urllib.parse import urlsplit

import environ

from aglet_recovery.launcher.found import found

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- where this installation keeps its things -------------------------------------------------
DATA_DIR = Path(env.str("AGLET_DATA_DIR", default=str(BASE_DIR / ".aglet"))).expanduser().absolute()
FOUND = found(DATA_DIR)  # the servers of a running `up`, or None
BASE_URL = env.str("AGLET_BASE_URL", default="") or (FOUND and FOUND.base_url) or "http://127.0.0.1:8000"


def secret_key() -> str:
    """The key `up` made once in the data folder; a passing one where there is none yet."""
    made = DATA_DIR / "secret_key"
    return made.read_text().strip() if made.is_file() else secrets.token_urlsafe(50)


# --- security -----------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key()
HTTPS = urlsplit(BASE_URL).scheme == "https"
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", urlsplit(BASE_URL).hostname])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[BASE_URL])
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 60 * 60
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_SSL_REDIRECT = env.bool("AGLET_SSL_REDIRECT", default=False)  # a proxy in front usually does it
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- the application ----------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "ninja",
    "aglet_recovery",
    "occurrences",
]
MIDDLEWARE = [
    "aglet_recovery.middleware.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "aglet_recovery.middleware.ContentSecurityPolicy",
    "aglet_recovery.middleware.NoNul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "aglet_recovery.urls"
WSGI_APPLICATION = "aglet_recovery.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "occurrences.views.frame.frame",
            ]
        },
    }
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "inbox"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

# --- PostgreSQL ---------------------------------------------------------------------------------
# With neither an address nor a running `up`, the socket folder named here does not exist: a command
# that needs the database says so (aglet_recovery.command_line).
NOWHERE = f"postgres://aglet@/aglet?host={DATA_DIR / 'run'}"
DATABASE_URL = env.str("DATABASE_URL", default="") or (FOUND and FOUND.database_url) or NOWHERE
DATABASES = {"default": env.db_url_config(DATABASE_URL)}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("AGLET_CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"].setdefault("OPTIONS", {})["options"] = (
    "-c statement_timeout=30s -c lock_timeout=2s -c idle_in_transaction_session_timeout=5s -c timezone=UTC"
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Celery: wake-ups only, no truth --------------------------------------------------------------
NO_BROKER = f"redis+socket://{DATA_DIR / 'run' / 'valkey.sock'}"
REDIS_URL = env.str("REDIS_URL", default="") or (FOUND and FOUND.redis_url) or NO_BROKER
SWEEP_SECONDS = env.int("AGLET_SWEEP_SECONDS", default=10)
PLAN_AHEAD_SECONDS = env.int("AGLET_PLAN_AHEAD_SECONDS", default=600)
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "aglet.console"
CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": env.str("AGLET_QUEUE_PREFIX", default="aglet:")}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_MAX_LOOP_INTERVAL = 0.5
CELERY_TIMEZONE = "UTC"


# --- where replays are sent: never from a form, never in the database ------------------------------
def by_source(name: str) -> dict[str, str]:
    """Read `source=value,source=value`; without a value it is empty, which a system check reports."""
    pairs = (pair.strip().partition("=") for pair in env.list(name, default=[]) if pair.strip())
    return {source: value for source, _, value in pairs}


TARGETS = by_source("AGLET_TARGETS")  # redis://…, https://… or by-hand:
WEBHOOK_SECRETS = by_source("AGLET_WEBHOOK_SECRETS")  # whsec_…; while it is exchanged, new and old with a space
WEBHOOK_HOSTS = env.list("AGLET_WEBHOOK_HOSTS", default=[])  # host, or host=private network

# --- time, static files, log ----------------------------------------------------------------------
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
LANGUAGE_CODE = "en"
STATIC_URL = "static/"
STATIC_ROOT = env.str("AGLET_STATIC_ROOT", default="") or None
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic step: what is installed is what is served
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("AGLET_LOG_LEVEL", default="INFO")},
    "loggers": {
        "django.request": {"level": "ERROR"},
        # aglet.task writes one line for each task instead
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
