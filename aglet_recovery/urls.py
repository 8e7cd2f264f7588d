"""Mounts the screens, the API, the administration of people and the health pages."""

from django.contrib import admin
from django.urls import include, path

from occurrences.api.urls import api
from occurrences.views import health

handler500 = "occurrences.views.frame.server_error"

urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("api/", api.urls),
    path("admin/", admin.site.urls),
    path("", include("occurrences.urls")),
]
